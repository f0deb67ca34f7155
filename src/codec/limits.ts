// Bounds of codec: every length, loop, queue, cache and retry that a peer or a table can grow. Listed in docs/limits.md.

export const CODEC_LIMITS = {
  /** Deepest nesting of a JSON text from a peer. */
  jsonDepth: 64,
  /** Most items of one array in a JSON text from a peer. */
  jsonArrayItems: 10_000,
  /** Most values of one JSON text from a peer: its items and members at every depth, commas and brackets counted. */
  jsonValues: 250_000,
  /** Deepest nesting of a DER structure: certificates need about ten levels. */
  derDepth: 24,
  /** Elements of one DER structure. */
  derNodes: 4_096,
  /** Characters of one YANG module. */
  yangModuleChars: 4_194_304,
  /** Statements of one YANG module. */
  yangStatements: 200_000,
  /** Nesting of statements in a YANG module, and of groupings in groupings. */
  yangDepth: 64,
  /** Nodes of the schema of one device, groupings written out. */
  yangNodes: 500_000,
} as const;
