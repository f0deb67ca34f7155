// Which topics are answered with a table.
import { DATA_TOPICS, type Topic } from '#model/intent.ts';

export function isData(topic: Topic): boolean {
  return (DATA_TOPICS as readonly string[]).includes(topic);
}
