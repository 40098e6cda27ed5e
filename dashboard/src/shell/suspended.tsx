// All that a suspended account sees.
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { reading } from "../api/client.ts";
import { EntryPage } from "../pages/sign-in/entry-page.tsx";
import { Button } from "../ui/button.tsx";
import { useAct } from "../ui/forms/act.ts";
import { FormError } from "../ui/forms/form-error.tsx";
import { SHELL } from "../words/areas.ts";
import { useWords } from "../words/words.ts";
import { useSignOut } from "./account-menu.tsx";

export function Suspended() {
  const { suspended: words, signOut } = useWords(SHELL);
  const client = useQueryClient();
  const router = useRouter();
  const { busy, refused, run } = useAct();
  const out = useSignOut();
  const [still, setStill] = useState(false);
  const check = () =>
    run(async () => {
      const { data } = await client.fetchQuery({ ...reading("GET /session", {}), staleTime: 0 });
      setStill(data.suspended);
      if (!data.suspended) await router.navigate({ to: "/connections", replace: true });
    });
  return (
    <EntryPage title={words.title}>
      <p>{words.text}</p>
      <p>{words.kept}</p>
      <p>{words.next}</p>
      <div className="flex flex-wrap gap-2">
        <Button busy={busy} onClick={() => void check()}>
          {words.check}
        </Button>
        <Button kind="quiet" icon={LogOut} busy={out.busy} onClick={out.leave}>
          {signOut}
        </Button>
      </div>
      <p role="status">{still && !busy ? words.still : ""}</p>
      <FormError refused={refused ?? out.refused} />
    </EntryPage>
  );
}
