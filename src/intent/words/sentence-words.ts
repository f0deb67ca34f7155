// Words that rules of word order know wherever they look: good manners before a question, and people.

/** Before the first word that says something: "please", "and then". */
export const MANNERS = /^(?:so|and|then|please|pls|ok|okay|well|now|hi|hey|hello|but|just|kindly)$/;

/** Who complains, or is spoken of: no part of a network. */
export const PEOPLE =
  /^(?:customers?|users?|clients?|callers?|people|colleagues?|boss|manager|management|lady|gentleman|guy|everyone|everybody|someone|somebody|tenants?|subscribers?|he|she|they|students?|employees?|staff|vips?)$/;
