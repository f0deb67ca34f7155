// The lab of the device benchmark: one router alone.
import { join } from 'node:path';

export const DEVICE_TOPOLOGY = join(import.meta.dirname, 'one.clab.yml');
