/** The product's name on pages and in emails. `test/domain/dashboard/product.test.ts` checks the static files that repeat it. */
export const PRODUCT = { name: "Messaging Gateway" } as const;

/** The version that the OpenAPI document shows (docs/use/apis.md, "Versions"). */
export const API_VERSION = "1.0";
