// The tools, resources and prompts that the official conformance suite calls by name, as offers of our own catalog: they travel the
// same transport, dispatcher and limits as the product's.
import type { JsonObject } from '#base/json.ts';
import type { CallContext, PromptDefinition, ResourceDefinition, ToolDefinition } from '#model/definition.ts';

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV header without samples. */
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const EVERYBODY = ['node', 'operator', 'controller'] as const;
const PAUSE_MS = 50;

type Run = (args: JsonObject, context: CallContext) => Promise<readonly JsonObject[]> | readonly JsonObject[];

function tool(name: string, run: Run, inputSchema: JsonObject = { type: 'object' }): ToolDefinition {
  return {
    name,
    title: name,
    description: `Fixture ${name} of the conformance suite`,
    capability: 'conformance',
    mutability: 'read',
    inputSchema,
    outputSchema: { type: 'object' },
    callers: EVERYBODY,
    content: (result) => result['content'] as readonly JsonObject[],
    call: async (args, context) => ({ content: [...(await run(args, context))] }),
  };
}

const text = (value: string): JsonObject => ({ type: 'text', text: value });
const image: JsonObject = { type: 'image', data: PNG, mimeType: 'image/png' };
const needs = (name: string): JsonObject => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});

function wait(context: CallContext): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS);
    context.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

const ELICITED = {
  type: 'object',
  properties: {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  },
  required: ['username', 'email'],
};

const DEFAULTS = {
  type: 'object',
  properties: {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  required: [],
};

const titled = (names: readonly string[], values: readonly string[]) =>
  names.map((title, index) => ({ const: values[index]!, title }));

const ENUMS = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: {
      type: 'string',
      oneOf: titled(['First Option', 'Second Option', 'Third Option'], ['value1', 'value2', 'value3']),
    },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: {
      type: 'array',
      items: { anyOf: titled(['First Choice', 'Second Choice', 'Third Choice'], ['value1', 'value2', 'value3']) },
    },
  },
  required: [],
};

async function elicit(context: CallContext, message: string, requestedSchema: JsonObject): Promise<JsonObject> {
  return context.client!.request('elicitation/create', { message, requestedSchema });
}

const oneText = (name: string): JsonObject => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
});
const GREETING: JsonObject = { messages: [{ role: 'user', content: text('Generate a greeting') }], maxTokens: 50 };

/** Asks the client's user, under a key that the suite knows. */
const input = (context: CallContext, key: string, message: string, requestedSchema: JsonObject): Promise<JsonObject> =>
  context.client!.request('elicitation/create', { message, requestedSchema }, undefined, key);

const accepted = (answer: JsonObject, name: string): string =>
  String((answer['content'] as JsonObject | undefined)?.[name] ?? answer['action']);

const CONFIRM: JsonObject = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] };

/** Calls that need input of the client, as MCP 2026-07-28 asks for it. */
const INPUT_TOOLS: readonly ToolDefinition[] = [
  tool('test_input_required_result_elicitation', async (_args, context) => {
    const answer = await input(context, 'user_name', 'What is your name?', oneText('name'));
    return [text(`Hello, ${accepted(answer, 'name')}!`)];
  }),
  tool('test_input_required_result_sampling', async (_args, context) => {
    const answer = await context.client!.request('sampling/createMessage', GREETING, undefined, 'capital_question');
    return [text(String((answer['content'] as JsonObject)['text']))];
  }),
  tool('test_input_required_result_list_roots', async (_args, context) => {
    const answer = await context.client!.request('roots/list', {}, undefined, 'client_roots');
    return [text(JSON.stringify(answer['roots']))];
  }),
  tool('test_input_required_result_request_state', async (_args, context) => {
    await input(context, 'confirm', 'Please confirm', CONFIRM);
    return [text('state-ok')];
  }),
  tool('test_input_required_result_tampered_state', async (_args, context) => {
    await input(context, 'confirm', 'Please confirm', CONFIRM);
    return [text('state-ok')];
  }),
  tool('test_input_required_result_multiple_inputs', async (_args, context) => {
    const [answer] = await Promise.all([
      input(context, 'user_name', 'What is your name?', oneText('name')),
      context.client!.request('sampling/createMessage', GREETING, undefined, 'greeting'),
      context.client!.request('roots/list', {}, undefined, 'client_roots'),
    ]);
    return [text(accepted(answer, 'name'))];
  }),
  tool('test_input_required_result_multi_round', async (_args, context) => {
    const name = await input(context, 'step1', 'Step 1: What is your name?', oneText('name'));
    const color = await input(context, 'step2', 'Step 2: What is your favorite color?', oneText('color'));
    return [text(`${accepted(name, 'name')} likes ${accepted(color, 'color')}`)];
  }),
  tool('test_input_required_result_capabilities', async (_args, context) => {
    const { client } = context;
    if (client!.offers('elicitation')) await input(context, 'confirm', 'Please confirm', CONFIRM);
    if (client!.offers('sampling')) await client!.request('sampling/createMessage', GREETING, undefined, 'greeting');
    return [text('done')];
  }),
];

export const FIXTURE_TOOLS: readonly ToolDefinition[] = [
  tool('test_simple_text', () => [text('This is a simple text response for testing.')]),
  tool('test_image_content', () => [image]),
  tool('test_audio_content', () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }]),
  tool('test_embedded_resource', () => [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ]),
  tool('test_multiple_content_types', () => [
    text('Multiple content types test:'),
    image,
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      },
    },
  ]),
  tool('test_tool_with_logging', async (_args, context) => {
    context.client!.log('info', 'Tool execution started');
    await wait(context);
    context.client!.log('info', 'Tool processing data');
    await wait(context);
    context.client!.log('info', 'Tool execution completed');
    return [text('Tool with logging executed successfully')];
  }),
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  }),
  tool('test_tool_with_progress', async (_args, context) => {
    for (const done of [0, 50, 100]) {
      context.progress(done, 100, `${done} of 100`);
      if (done < 100) await wait(context);
    }
    return [text('Tool with progress executed successfully')];
  }),
  tool(
    'test_sampling',
    async (args, context) => {
      const messages = [{ role: 'user', content: text(String(args['prompt'])) }];
      const answer = await context.client!.request('sampling/createMessage', { messages, maxTokens: 100 });
      return [text(`LLM response: ${String((answer['content'] as JsonObject)['text'])}`)];
    },
    needs('prompt'),
  ),
  tool(
    'test_elicitation',
    async (args, context) => {
      const answer = await elicit(context, String(args['message']), ELICITED);
      return [
        text(`User response: action=${String(answer['action'])}, content=${JSON.stringify(answer['content'] ?? {})}`),
      ];
    },
    needs('message'),
  ),
  tool('test_elicitation_sep1034_defaults', async (_args, context) => {
    const answer = await elicit(context, 'Please review the defaults', DEFAULTS);
    return [
      text(
        `Elicitation completed: action=${String(answer['action'])}, content=${JSON.stringify(answer['content'] ?? {})}`,
      ),
    ];
  }),
  tool('test_elicitation_sep1330_enums', async (_args, context) => {
    const answer = await elicit(context, 'Please choose', ENUMS);
    return [
      text(
        `Elicitation completed: action=${String(answer['action'])}, content=${JSON.stringify(answer['content'] ?? {})}`,
      ),
    ];
  }),
  ...INPUT_TOOLS,
  tool('test_missing_capability', async (_args, context) => {
    await context.client!.request('sampling/createMessage', GREETING);
    return [text('sampled')];
  }),
  // What both of these must not do is checked by the suite: log without being asked to, and send a request in the stream of an answer.
  tool('test_logging_tool', (_args, context) => {
    context.client!.log('info', 'Said to a client that has asked for it');
    return [text('logged')];
  }),
  tool('test_streaming_elicitation', async (_args, context) => {
    const answer = await elicit(context, 'What is your name?', oneText('name'));
    return [text(`action=${String(answer['action'])}`)];
  }),
  tool('test_reconnection', async (_args, context) => {
    context.client!.detach();
    await wait(context);
    return [text('Reconnection test completed successfully')];
  }),
  tool('json_schema_2020_12_tool', () => [text('ok')], {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own keyword
    then: { required: ['phone'] },
    else: { required: ['email'] },
    additionalProperties: false,
  }),
];

function resource(
  init: Pick<ResourceDefinition, 'uriTemplate' | 'mimeType' | 'page'> & Partial<ResourceDefinition>,
): ResourceDefinition {
  return {
    name: init.uriTemplate,
    title: init.uriTemplate,
    description: `Fixture ${init.uriTemplate} of the conformance suite`,
    capability: 'conformance',
    callers: EVERYBODY,
    serves: (uri) => uri === init.uriTemplate,
    read: async () => undefined,
    ...init,
  };
}

const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

export const FIXTURE_RESOURCES: readonly ResourceDefinition[] = [
  resource({
    uriTemplate: 'test://static-text',
    mimeType: 'text/plain',
    page: async () => ({ data: 'This is the content of the static text resource.' }),
  }),
  resource({
    uriTemplate: 'test://static-binary',
    mimeType: 'image/png',
    page: async () => ({ data: PNG, binary: true }),
  }),
  resource({
    uriTemplate: 'test://template/{id}/data',
    mimeType: 'application/json',
    serves: (uri) => TEMPLATE.test(uri),
    page: async (uri) => {
      const id = TEMPLATE.exec(uri)![1]!;
      return { data: { id, templateTest: true, data: `Data for ID: ${id}` } };
    },
  }),
  resource({
    uriTemplate: 'test://watched-resource',
    mimeType: 'text/plain',
    page: async () => ({ data: 'watched' }),
    watch: () => () => {},
  }),
];

function prompt(
  name: string,
  args: readonly string[],
  messages: (args: JsonObject) => readonly JsonObject[],
): PromptDefinition {
  return {
    name,
    title: name,
    description: `Fixture ${name} of the conformance suite`,
    capability: 'conformance',
    callers: EVERYBODY,
    arguments: args.map((argument) => ({
      name: argument,
      description: argument,
      required: true,
      schema: { type: 'string' },
    })),
    complete: async () => [],
    get: async (request) => ({ description: name, markdown: '', toolCalls: [], messages: messages(request.arguments) }),
  };
}

const said = (content: JsonObject): JsonObject => ({ role: 'user', content });

export const FIXTURE_PROMPTS: readonly PromptDefinition[] = [
  {
    ...prompt('test_input_required_result_prompt', [], () => []),
    get: async (_request, context) => {
      const answer = await input(context, 'user_context', 'What context should the prompt use?', oneText('context'));
      const messages = [said(text(`Use ${accepted(answer, 'context')}`))];
      return { description: 'asked', markdown: '', toolCalls: [], messages };
    },
  },
  prompt('test_simple_prompt', [], () => [said(text('This is a simple prompt for testing.'))]),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], (args) => [
    said(text(`Prompt with arguments: arg1='${String(args['arg1'])}', arg2='${String(args['arg2'])}'`)),
  ]),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], (args) => [
    said({
      type: 'resource',
      resource: { uri: args['resourceUri']!, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
    }),
    said(text('Please process the embedded resource above.')),
  ]),
  prompt('test_prompt_with_image', [], () => [said(image), said(text('Please analyze the image above.'))]),
];
