#!/usr/bin/env node
// Process entry of every role: parses nothing itself, sets the exit code, never ends the process while work is under way.
import { LIMITS } from '#base/limits.ts';
import { runProgram } from '#cli/program.ts';
import { endWithReader } from '#cli/terminal/output.ts';

Buffer.poolSize = LIMITS.bufferPoolBytes;
endWithReader();
process.exitCode = await runProgram(process.argv.slice(2));
