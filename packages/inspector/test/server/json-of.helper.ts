/** The body of a response as JSON of any shape. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of the answer.
export async function jsonOf(response: Response | Promise<Response>): Promise<any> {
  return (await response).json();
}
