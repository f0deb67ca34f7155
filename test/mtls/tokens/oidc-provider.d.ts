// As much of oidc-provider's interface as the tests use: the package brings no types.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}
