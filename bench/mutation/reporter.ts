// Reporter of a test run: one JSON line for each test that begins or fails, so that a run can be ended at its first failure.
import type { TestEvent } from 'node:test/reporters';

export type Reported = { readonly kind: 'begun' | 'failed'; readonly name: string; readonly file?: string };

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:dequeue' && type !== 'test:fail') continue;
    const line: Reported = {
      kind: type === 'test:dequeue' ? 'begun' : 'failed',
      name: data.name,
      ...(data.file === undefined ? {} : { file: data.file }),
    };
    yield `\n${JSON.stringify(line)}\n`;
  }
}
