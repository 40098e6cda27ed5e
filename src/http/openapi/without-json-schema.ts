// Replaces zod's JSON Schema generator in builds of the worker (wrangler.toml, `[alias]`). The gateway's documents do not use it.
export const createToJSONSchemaMethod = () => undefined;
export const createStandardJSONSchemaMethod = () => undefined;
