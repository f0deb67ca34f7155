// The one JSON Schema validator that every SDK server and client and the catalog share: building one costs more than
// opening a session, so nobody builds a second.
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';

export const sharedValidator = new AjvJsonSchemaValidator();
