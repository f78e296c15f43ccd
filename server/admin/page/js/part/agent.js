/** Returns the name of a browser and its system, from how it describes itself. */
export function browserName(/** @type {string} */ agent) {
  const name = /(Edg|OPR|SamsungBrowser|Firefox|CriOS|Chrome|Safari)\/?/.exec(agent)?.[1] ?? ''
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1] ?? ''
  const shown =
    { Edg: 'Edge', OPR: 'Opera', CriOS: 'Chrome', SamsungBrowser: 'Samsung Internet' }[name] ?? name
  return [shown, system.replace('Mac OS X', 'Mac')].filter(Boolean).join(', ') || agent
}
