// The session has ended while somebody was at work: they sign in again in a dialog over the page, which stays as it is.
import { useRouter } from "@tanstack/react-router";
import { Suspense, lazy, useEffect, useState } from "react";
import { onSessionEnded } from "../api/cache.ts";

const SignInAgain = lazy(() => import("./sign-in-again.tsx").then(({ SignInAgain: component }) => ({ default: component })));

export function SessionEnded() {
  const router = useRouter();
  const [ended, setEnded] = useState(false);
  useEffect(
    () =>
      onSessionEnded(({ code }) => {
        if (code === "account_suspended") void router.navigate({ to: "/suspended", replace: true });
        else setEnded(true);
      }),
    [router],
  );
  if (!ended) return null;
  return (
    <Suspense>
      <SignInAgain onDone={() => setEnded(false)} />
    </Suspense>
  );
}
