import { useQuery } from "@tanstack/react-query";
import { reading } from "../../api/client.ts";
import { Choices } from "../../shell/choices.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Query } from "../../ui/states.tsx";
import { ACCOUNT } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { AccountKeys } from "./account-keys.tsx";
import { Password } from "./password.tsx";
import { Plan } from "./plan.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";

export function Account() {
  const texts = useTexts(ACCOUNT);
  const me = useQuery(reading("GET /me", {}));
  const session = useQuery(reading("GET /session", {}));
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title={texts.profile.title}>
          <Query result={me}>{({ data }) => <Profile me={data} />}</Query>
        </Panel>
        <Panel title={texts.plan.title}>
          <Query result={me}>{({ data }) => <Plan me={data} />}</Query>
        </Panel>
        {session.data?.data.identity.kind === "embedded" && (
          <Panel title={texts.password.title} about={texts.password.about}>
            <Password email={session.data.data.user?.email ?? ""} />
          </Panel>
        )}
        <Panel title={texts.preferences.title} about={texts.preferences.about}>
          <Choices />
        </Panel>
      </div>
      <Sessions />
      <AccountKeys />
    </>
  );
}
