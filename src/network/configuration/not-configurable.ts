// A device that cannot be configured: its tools that would are listed all the same, as not available (NET-2, NET-3), and `network.rollback`
// is answered with −32087. Nothing here is ever called.
import { ParleyError } from '#base/error.ts';
import { createAccess } from '#model/access.ts';
import type { ToolDefinition } from '#model/definition.ts';
import type { ConfigurationPort } from '#model/router/configuration.ts';
import type { Changes } from './change.ts';
import { configureTools } from './configure.ts';
import { type BackupAuthorities, fileTools } from './files.ts';

export function absentConfigureTools(): readonly ToolDefinition[] {
  const definitions = [
    ...configureTools(NO_CONFIGURATION, NO_CHANGES),
    ...fileTools(NO_CONFIGURATION, NO_CHANGES, NO_AUTHORITIES),
  ];
  return definitions.map((definition) => ({ ...definition, available: () => false }));
}

const no = async (): Promise<never> => {
  throw new ParleyError('caller/not-configurable', 'expected a device that can be configured here, this one cannot');
};

const NO_CONFIGURATION: ConfigurationPort = {
  facts: no,
  read: no,
  restore: no,
  validate: no,
  discard: no,
  commit: no,
  verified: no,
  confirm: no,
  cancel: no,
  hold: no,
  open: no,
  history: no,
};

const NO_AUTHORITIES: BackupAuthorities = {
  access: createAccess(),
  consent: { ask: async () => ({ granted: false, reason: 'this device cannot be configured' }) },
};

const NO_CHANGES: Changes = { checkPaths: () => {}, commit: no, confirm: no, cancel: no };
