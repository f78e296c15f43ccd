// Prints the changes from one GraphQL schema to another, in the form that compatibility reads.
import { readFileSync } from 'node:fs'
import { CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema } from 'graphql'

const [before, after] = process.argv.slice(2).map((file) => buildSchema(readFileSync(file, 'utf8')))
const changes = await diff(before, after)
console.log(
  JSON.stringify(
    changes
      .filter((change) => !change.type.endsWith('DESCRIPTION_CHANGED') && !change.type.endsWith('DESCRIPTION_ADDED'))
      .map((change) => ({
        type: change.type,
        subject: change.path ?? '',
        text: change.message,
        breaking: change.criticality.level === CriticalityLevel.Breaking,
      })),
  ),
)
