// The session has ended while somebody was at work: they sign in again in a dialog over the page, which stays as it is.
import { useRouter } from "@tanstack/react-router";
import { Suspense, lazy, useEffect, useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { onSessionEnded } from "../api/cache.ts";
import { reading } from "../api/client.ts";

const SignInAgain = lazy(() => import("./sign-in-again.tsx").then(({ SignInAgain: component }) => ({ default: component })));

export function SessionEnded() {
  const router = useRouter();
  const [ended, setEnded] = useState(false);
  const { data } = useQuery({ ...reading("GET /session", {}), enabled: false });
  const user = data?.data.user ?? null;
  // Whoever was here: when the session has ended, nobody is any more.
  const [last, setLast] = useState(user);
  if (user !== null && last === null) setLast(user);
  const isAnother = user !== null && last !== null && user.id !== last.id;
  useEffect(() => {
    // Somebody else has signed in, in another tab: what is on this page is not theirs.
    if (isAnother) location.assign("/connections");
  }, [isAnother]);
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
      <SignInAgain before={last} onDone={() => setEnded(false)} />
    </Suspense>
  );
}
