// Types of the operations in operations.graphql, by introspection without a shop. The scalars are
// mapped as the API reference says.
export default {
  schema: `${process.env.STOREFRONT_URL ?? 'http://localhost:8080'}/graphql`,
  documents: 'operations.graphql',
  generates: {
    'dist/graphql/': {
      preset: 'client',
      config: {
        scalars: { Long: 'number', Time: 'string', JSON: 'Record<string, unknown>' },
        strictScalars: true,
        enumsAsTypes: true,
        useTypeImports: true,
      },
    },
  },
}
