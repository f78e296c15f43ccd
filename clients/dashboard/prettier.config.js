/** @type {import('prettier').Config} */
export default { plugins: ['./htm.js'], printWidth: 100, semi: false, singleQuote: true }
