// A session of somebody whom an outside issuer has signed in: a row and a cookie as after a password here.
import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";

const NewSession = z.object({ userId: z.string(), issuer: z.string() });

/** For this program alone: it has no address (docs/operate/signing-in.md, "Signing in"). */
export const openingSessions = {
  id: "opening-sessions",
  endpoints: {
    openSession: createAuthEndpoint.serverOnly({ method: "POST", body: NewSession, requireHeaders: true }, async (context) => {
      const { userId, issuer } = context.body;
      const { internalAdapter } = context.context;
      const user = await internalAdapter.findUserById(userId);
      if (user === null) throw new Error("a user who has just signed in is missing");
      const session = await internalAdapter.createSession(userId, false, { issuer });
      await setSessionCookie(context, { session, user });
      return { id: session.id };
    }),
  },
} satisfies BetterAuthPlugin;
