import { halvesOf, readQuestions } from './asking/questions.ts';
import { scoreOf } from './asking/score.ts';
for (const set of readQuestions()) for (const q of halvesOf(set).looked) { const s = scoreOf(q, set.network);
 console.log(s.score.replace('refused-rightly', q.means ? 'EITHER' : 'ref') + ' | ' + q.q + ' | ' + JSON.stringify(q.means ?? {}).replaceAll('"','') + ' ' + (q.refuse ?? '') + (q.means && s.score !== 'as-meant' ? '\n      ' + s.got : '')); }
