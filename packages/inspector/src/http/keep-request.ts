const requests = new WeakMap<AbortSignal, Request>();

/**
 * Keeps a request as long as anything holds its signal. Node.js aborts the signal of a `Request` through a weak
 * reference to the request: if only the signal is held, as by a stream, the abort gets lost once memory was collected.
 */
export function keepRequest(request: Request): Request {
  requests.set(request.signal, request);
  return request;
}
