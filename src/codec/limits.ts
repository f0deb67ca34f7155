// Bounds of codec. Listed in docs/limits.md.

export const CODEC_LIMITS = {
  /** Nesting of a JSON text from a peer. */
  jsonDepth: 64,
  /** Items of one array in a JSON text from a peer. */
  jsonArrayItems: 10_000,
  /** Items and members, at every depth, of a JSON text from a peer; commas and brackets are counted, before parsing. */
  jsonValues: 250_000,
  /** Nesting of a DER structure; certificates need about ten levels. */
  derDepth: 24,
  /** Elements of one DER structure. */
  derNodes: 4_096,
  /** Characters of one YANG module. */
  yangModuleChars: 4_194_304,
  /** Statements of one YANG module. */
  yangStatements: 200_000,
  /** Words of one YANG statement: its keyword, and the parts of its argument. */
  yangWords: 4_096,
  /** Nesting of statements in a YANG module, and of groupings that use groupings. */
  yangDepth: 64,
  /** Schema nodes of one device, with all groupings expanded. */
  yangNodes: 500_000,
  /** Steps in which names in the modules of one device are looked up; what is left then is not resolved. */
  yangSteps: 10_000_000,
} as const;
