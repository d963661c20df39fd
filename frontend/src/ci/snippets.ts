/** What a pipeline needs, as it stands in docs/ci, where every snippet is run by a test. */
import curl from "../../../docs/ci/curl.sh?raw";
import githubActions from "../../../docs/ci/github-actions.yml?raw";
import gitlabCi from "../../../docs/ci/gitlab-ci.yml?raw";
import jenkins from "../../../docs/ci/Jenkinsfile?raw";

export interface Snippet {
  system: string;
  /** Where its text goes. */
  file: string;
  /** Where the address and the token go. */
  settings: string;
  text: string;
}

export const SNIPPETS: Snippet[] = [
  { system: "GitHub Actions", file: ".github/workflows/captures.yml", settings: "Repository settings: variable STALLSCOPE_URL, secret STALLSCOPE_TOKEN", text: githubActions },
  { system: "GitLab CI", file: ".gitlab-ci.yml", settings: "CI/CD variables, the token masked", text: gitlabCi },
  { system: "Jenkins", file: "Jenkinsfile", settings: "Environment STALLSCOPE_URL, credential stallscope-token (secret text)", text: jenkins },
  { system: "curl", file: "a shell", settings: "Variables of the shell", text: curl },
];

/** The two variables, as every system takes them; the token stands in no file of a repository and in no address. */
export function settingsText(origin: string, token: string): string {
  return `STALLSCOPE_URL=${origin}\nSTALLSCOPE_TOKEN=${token}`;
}
