type Fetch = (request: Request) => Promise<Response>

/** The longest pause before a request is repeated, in seconds. A longer one is left to the caller. */
const maxPause = 20

/**
 * Returns a fetch that repeats requests after a network error, a 429 or a 503. Only those are
 * repeated that have the same effect once or twice: reads, and orders with an idempotency key. A 429
 * is repeated always, since the server refused the request before it did anything.
 */
export function retrying(fetch: Fetch, retries: number): Fetch {
  return async (request) => {
    const isIdempotent = request.method === 'GET' || request.headers.has('Idempotency-Key')
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt >= retries
      let response: Response
      try {
        response = await fetch(request.clone())
      } catch (error) {
        if (isLast || !isIdempotent || request.signal.aborted) throw error
        await pause(backoff(attempt), request.signal)
        continue
      }
      const isRefused = response.status === 429 || (response.status === 503 && isIdempotent)
      const seconds = Number(response.headers.get('Retry-After') ?? backoff(attempt))
      if (isLast || !isRefused || !(seconds <= maxPause)) return response
      await response.body?.cancel()
      await pause(seconds, request.signal)
    }
  }
}

/** Returns a pause in seconds that doubles with each attempt, with jitter. */
function backoff(attempt: number): number {
  return 0.25 * 2 ** attempt * (1 + Math.random())
}

function pause(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, seconds * 1000)
    function abort() {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', abort, { once: true })
  })
}
