// The part of the configuration about access tokens (TS-29): whose tokens count here and up to which role, who needs one, and what this node
// issues as a registrar. Refuses scopes that mean nothing.
import { z } from 'zod';
import { ROLES } from '#model/identity.ts';
import { NODE_NAME } from '#model/names.ts';
import { parseScope } from '#model/rights/token-scope.ts';

const name = z.string().min(1).max(128);

const scope = z.string().superRefine((text, context) => {
  const parsed = parseScope(text);
  if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.reason });
});

/** Tokens of this issuer permit no more than this role, whatever the certificate of their holder says. */
const role = z.enum(ROLES).default('operator');

/** A node of this domain that issues tokens. */
const registrarSchema = z.strictObject({
  registrar: z.string().regex(NODE_NAME, 'expected the name of a node'),
  /** Where clients ask it for tokens, such as https://reg1.lab.example:9514; only shown to them. */
  url: z.url({ protocol: /^https$/ }).optional(),
  role,
});

/** The company's identity provider (OpenID Connect Discovery). */
const providerSchema = z.strictObject({
  /** Exactly as `iss` in its tokens. */
  url: z.url({ protocol: /^https$/ }),
  /** CA of its own certificate, PEM; the system's CAs when absent. */
  ca: z.string().min(1).max(1_024).optional(),
  role,
  /** Its own words for scopes, and which of ours each stands for. */
  scopes: z.record(name, z.array(scope).max(64)).default({}),
});

export const tokensSchema = z.strictObject({
  issuers: z
    .array(z.union([registrarSchema, providerSchema]))
    .max(8)
    .default([]),
  /** Groups, as in access rules, whose certificate alone permits nothing. */
  required: z.array(name).max(64).default([]),
  /** Further names of this node as a resource (aud). */
  audiences: z.array(z.string().min(1).max(512)).max(16).default([]),
  /** What this node issues as a registrar: to whom, which scopes, for how long. */
  issue: z
    .array(
      z.strictObject({
        to: z.array(name).min(1).max(256),
        scopes: z.array(scope).min(1).max(64),
        seconds: z.number().int().min(30).max(600).default(300),
      }),
    )
    .max(64)
    .default([]),
});

export type TokensConfig = z.infer<typeof tokensSchema>;
