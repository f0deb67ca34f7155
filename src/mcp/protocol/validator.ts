// The one JSON Schema validator of the catalog and of every SDK server and client: building one costs more than opening a session.
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';

export const sharedValidator = new AjvJsonSchemaValidator();
