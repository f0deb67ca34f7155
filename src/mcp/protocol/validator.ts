// The one JSON Schema validator of the catalog and of every SDK server and client: building one costs more than opening a session.
// Stops at the first error. One that collects all of them lets a single bad call of 1 MB make 495,000 errors, 1.8 s of processor time.
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { Ajv } from 'ajv';

export const sharedValidator = new AjvJsonSchemaValidator(
  new Ajv({ strict: false, validateSchema: false, validateFormats: false, allErrors: false }),
);
