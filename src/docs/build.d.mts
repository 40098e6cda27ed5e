export function builtDocuments(): Promise<string>;
