import { readQuestions } from './asking/questions.ts';
import { scoreOf } from './asking/score.ts';
for (const set of readQuestions(process.argv[2])) for (const q of set.questions) { const s = scoreOf(q, set.network);
 if (q.means && s.score === 'refused-rightly') console.log(q.q + ' | ' + JSON.stringify(q.means ?? {}).replaceAll('"','') + ' ' + (q.refuse ?? '') + '\n      ' + s.got); }
