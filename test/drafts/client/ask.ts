// The client of the drafts as a program, for a controller on a node's own host: a folder with a certificate and requests as JSON; prints the answers.
import { credentialsIn, type JsonRecord, openFrames } from './frames.ts';

const PORT = 9514;
const [folder, requests] = process.argv.slice(2) as [string, string];

const client = await openFrames(PORT, credentialsIn(folder));
const answers: JsonRecord[] = [];
for (const request of JSON.parse(requests) as readonly JsonRecord[]) answers.push(await client.ask(request));
console.log(JSON.stringify(answers));
client.close();
