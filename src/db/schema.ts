// All D1 tables, for drizzle-kit.
export * from "./schema/account.ts";
export * from "./schema/directory.ts";
export * from "./schema/identity.ts";
export * from "./schema/proxies.ts";
