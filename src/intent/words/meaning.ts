// What a word or phrase of a question stands for.
import type { RoutingProtocol, Topic } from '#model/intent.ts';

export type Role = 'from' | 'to' | 'via' | 'between' | 'on' | 'with' | 'except';

export type Meaning =
  /** Says nothing of its own: "please". `beside`: only beside what is asked; where nothing else is, it is what is asked: "packets". */
  | { readonly kind: 'empty'; readonly beside?: true }
  /** Changes nothing of the answer, and is named in it: "IPv6". */
  | { readonly kind: 'aside' }
  /** `weak`: only where nothing else says what is asked. `past`: it can only have been. */
  | { readonly kind: 'topic'; readonly topic: Topic; readonly weak?: true; readonly past?: true }
  | { readonly kind: 'role'; readonly role: Role }
  | { readonly kind: 'noun'; readonly noun: 'link' | 'interface' | 'path' | 'node' | 'neighbour' | 'address' }
  | { readonly kind: 'protocol'; readonly protocol: RoutingProtocol }
  | { readonly kind: 'srv6' }
  | { readonly kind: 'service'; readonly name: 'dns' | 'http' | 'tcp'; readonly port: number }
  | { readonly kind: 'record' }
  | { readonly kind: 'port' }
  | { readonly kind: 'not' }
  /** Makes another question of it: "or", "if", "outside". */
  | { readonly kind: 'turn' }
  /** Tells amounts apart: "more than", ">". */
  | { readonly kind: 'compare' }
  /** Stands for something that was said before: "the same", "repeat". */
  | { readonly kind: 'reference' }
  | { readonly kind: 'past' }
  /** Asks for data: "show", "list". */
  | { readonly kind: 'show' }
  /** The one before reaches, sees or answers the one behind: `back` where the one behind asks. */
  | { readonly kind: 'verb'; readonly back?: true }
  | { readonly kind: 'and' }
  | { readonly kind: 'here' }
  | { readonly kind: 'everywhere' }
  | { readonly kind: 'before-fault' }
  /**
   * Asks that something be done; only where a question would begin. `of`: what such an order is of, where the word alone may be something else: of
   * people, of a protocol, or of anything. `anywhere`: wherever it stands.
   */
  | {
      readonly kind: 'order';
      readonly command: OrderKind;
      readonly of?: 'people' | 'protocol' | 'any';
      readonly anywhere?: true;
    }
  /** What this program does not measure, with the words that say so. */
  | { readonly kind: 'beyond'; readonly what: string };

/** What does what an order asks for. */
export type OrderKind = 'configure' | 'remedy' | 'router' | 'people';
