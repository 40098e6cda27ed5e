import { eq } from "drizzle-orm";
import { databaseOf } from "../../db/database.ts";
import { user } from "../../db/schema.ts";
import type { User } from "./find.ts";

export async function setRole(binding: D1Database, userId: string, role: User["role"]): Promise<void> {
  await databaseOf(binding).update(user).set({ role, updatedAt: new Date() }).where(eq(user.id, userId));
}
