// What browsers offer and TypeScript does not know, and what early.js has requested.

interface Window {
  trustedTypes?: { createPolicy<Rules>(name: string, rules: Rules): Rules }
  BarcodeDetector?: new () => {
    detect: (source: HTMLVideoElement) => Promise<{ rawValue: string }[]>
  }
  early?: Record<string, Promise<Response>>
}

/** An event of a field, in which something is entered or chosen. */
type FieldEvent = Event & { target: HTMLInputElement }
