// Bounds of enrolment. Listed in docs/limits.md.

export const ENROL_LIMITS = {
  /** Codes that one registrar keeps, used and ended ones included. */
  codes: 4_096,
  /** Codes of one list. */
  codesAtOnce: 1_024,
  /** Guesses at one code before it is locked: runs without a proof that differ in their share. A proof sets the count to zero. */
  attemptsPerCode: 10,
  /** Time after the last guess at which a lock ends. */
  lockMs: 3_600_000,
  /** Runs in `nameWindowMs` with codes of one name, proven ones included. */
  attemptsPerName: 30,
  /** Time over which runs of one name are counted. */
  nameWindowMs: 600_000,
  /** Time that a used code keeps the registrar's port open, so that a node whose answer was lost can ask again. */
  usedOpenMs: 900_000,
  /** Time after its end that a code is kept, so that its holder hears that it has ended and not that there is none. */
  endedKeptMs: 2_592_000_000,
  /** Longest validity of a code. */
  codeLifetimeMs: 2_592_000_000,
  /** Interval at which an agent looks whether its registrar's port is to be open. */
  openCheckMs: 2_000,
  /** Connections to a registrar's port at once; for one more, the oldest of the address with the most is cut. */
  connections: 256,
  /** Time from TCP accept to the end of the TLS handshake. */
  handshakeMs: 20_000,
  /** Time of one run, from TCP accept to the certificate. */
  runMs: 120_000,
  /** Octets of one message. */
  messageBytes: 16_384,
  /** Characters of a certification request with its proofs. */
  requestChars: 8_192,
  /** Characters of a serial number of a device. */
  serialChars: 64,
  /** Times that an enrolling node tries again where the connection was cut before an answer. */
  retries: 6,
  /** First pause before another try; doubled each time, with up to as much again at random. */
  retryMs: 500,
  /** Times that it tries again where the connection was cut after the registrar had proven itself: the path drops what is longer. */
  provenRetries: 2,
  /** First pause of these. */
  provenRetryMs: 15_000,
} as const;
