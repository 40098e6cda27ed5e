import { Outlet, useRouter } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { LiveRegion, Toasts } from "../ui/toast.tsx";
import { useTexts } from "../texts/catalog.ts";
import { FAILURES } from "../texts/catalogs.ts";
import { useQuery } from "@tanstack/react-query";
import { onSessionEnded } from "../api/cache.ts";
import { reading } from "../api/client.ts";
import { lazyPart } from "../ui/loading/lazy-part.tsx";

export function Root() {
  return (
    <Suspense>
      <Page />
      <SessionEnded />
      <Toasts />
      <LiveRegion />
    </Suspense>
  );
}

function Page() {
  useTexts(FAILURES);
  return <Outlet />;
}

const SignInAgain = lazyPart(() => import("./sign-in-again.tsx").then(({ SignInAgain: component }) => component));

/** When the session ends, the user signs in again in a dialog, without leaving the page. */
export function SessionEnded() {
  const router = useRouter();
  const { data } = useQuery({ ...reading("GET /session", {}), enabled: false });
  const user = data?.data.user ?? null;
  // The user is remembered, because an ended session no longer identifies its user.
  const [last, setLast] = useState(user);
  const [ended, setEnded] = useState<typeof user>(null);
  if (user !== null && last === null) setLast(user);
  const isAnother = user !== null && last !== null && user.id !== last.id;
  useEffect(() => {
    // Another user has signed in from another tab and must not see this page.
    if (isAnother) location.assign("/connections");
    onSessionEnded(({ code }) => {
      // A pairing link's page needs no session. The response to a wrong link is also 401.
      if (location.pathname === "/pair") return;
      if (code === "account_suspended") void router.navigate({ to: "/suspended", replace: true });
      else setEnded(last);
    });
  }, [router, last, isAnother]);
  if (ended === null) return null;
  return (
    <Suspense>
      <SignInAgain before={ended} onDone={() => setEnded(null)} />
    </Suspense>
  );
}
