// Fails if files of the dashboard import one another in a circle. A file that is loaded later, by
// import(), counts as well: to change one of the two, both have to be read.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const folder = join(import.meta.dirname, '../../server/admin/page/js')
const comments = /\/\*[^]*?\*\/|^\s*\/\/.*/gm
const imports = /(?:^import |\bfrom |\bimport\()'(\.[^']+)'/gm

/** Files whose imports are followed already. @type {Set<string>} */
const done = new Set()

/**
 * Follows the imports of a file.
 * @param {string} file
 * @param {string[]} path The files that lead to it.
 */
function follow(file, path) {
  if (path.includes(file)) {
    const circle = [...path.slice(path.indexOf(file)), file].map((name) => relative(folder, name))
    console.error(`imports in a circle: ${circle.join(' → ')}`)
    process.exitCode = 1
  } else if (!done.has(file)) {
    const text = readFileSync(file, 'utf8').replace(comments, '')
    for (const [, name] of text.matchAll(imports)) follow(join(file, '..', name), [...path, file])
    done.add(file)
  }
}

for (const name of readdirSync(folder, { recursive: true })) {
  if (/^(?!vendor).*\.js$/.test(String(name))) follow(join(folder, String(name)), [])
}
if (done.size < 100) throw new Error(`got ${done.size} files of the dashboard, want all`)
