// All tables of D1: drizzle-kit reads them here.
export * from "./schema/account.ts";
export * from "./schema/directory.ts";
export * from "./schema/identity.ts";
export * from "./schema/statistics.ts";
export * from "./schema/proxies.ts";
