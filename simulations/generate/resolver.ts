// Where a host asks for names: one server, briefly. What a program waits for an answer is up to the program.

export function resolverCommand(server: string): string {
  return `printf 'nameserver %s\\noptions timeout:1 attempts:1\\n' ${server} > /etc/resolv.conf`;
}
