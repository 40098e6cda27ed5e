import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useRouter, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { reading } from "../../api/client.ts";
import type { RefusalCode } from "../../api/refusal.ts";
import { Refused } from "../../api/refused.ts";
import { buttonClass } from "../../ui/button.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Query } from "../../ui/states.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { EntryPage } from "./entry-page.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { SHELL, SIGN_IN } from "../../texts/catalogs.ts";

export function SignIn() {
  const texts = useTexts(SIGN_IN);
  const { help, helpPage } = useTexts(SHELL);
  const client = useQueryClient();
  const router = useRouter();
  const { to = "/", out } = useSearch({ from: "/sign-in" });
  const session = useQuery(reading("GET /session", {}));
  // The next page's code loads while the user types.
  useEffect(() => void Promise.allSettled([router.loadRouteChunk(router.routesById["/in/connections"])]), [router]);
  const enter = async () => {
    const { data } = await client.fetchQuery({ ...reading("GET /session", {}), staleTime: 0 });
    router.history.replace(data.suspended ? "/suspended" : to);
  };
  return (
    <EntryPage title={texts.signInTo}>
      {out !== undefined && <p role="status">{texts.signedOut}</p>}
      <Query result={session}>
        {({ data: { identity } }) =>
          identity.kind === "issuer" ? (
            <Issuer name={identity.name} to={to} />
          ) : (
            <>
              <SignInForm onSignedIn={enter} />
              <p className="flex flex-wrap justify-between gap-x-4 gap-y-2 border-t border-line pt-3">
                <Link to="/forgot" className="underline underline-offset-2">
                  {texts.forgotLink}
                </Link>
                <span>
                  {texts.noAccount}{" "}
                  <Link to="/sign-up" className="underline underline-offset-2">
                    {texts.signUpLink}
                  </Link>
                </span>
              </p>
            </>
          )
        }
      </Query>
      <p>
        <a href={helpPage} target="_blank" rel="noreferrer" className="underline underline-offset-2">
          {help}
        </a>
      </p>
    </EntryPage>
  );
}

/** The worker redirects to the issuer. If the sign-in fails, the error is returned in the URL. */
function Issuer({ name, to }: { name: string; to: string }) {
  const texts = useTexts(SIGN_IN);
  const { error, request } = useSearch({ from: "/sign-in" });
  return (
    <>
      <p>{texts.issuerText}</p>
      {error !== undefined && (
        <>
          <p className="font-semibold">{texts.issuerFailed}</p>
          <FormError refused={new Refused(error as RefusalCode, { status: 0, requestId: request ?? null })} />
        </>
      )}
      <a href={`/api/dashboard/sign-in?to=${encodeURIComponent(to)}`} className={buttonClass("primary")}>
        {texts.withIssuer(name)}
      </a>
    </>
  );
}
