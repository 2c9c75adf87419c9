/** Whether a name or address means this machine itself, so that no other machine can use it. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === "::1" ||
    /^(::ffff:)?127(\.\d{1,3}){3}$/.test(name)
  );
}
