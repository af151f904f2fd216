// `npm run sbom`: writes dist/sbom.json, a CycloneDX list of the packages that a release brings along.
// `npm sbom --omit dev` leaves out what development packages need as well, even where production needs it (npm/cli issue
// 7909). So npm is asked about a project that has no development packages.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { productionManifests, PROJECT } from './lock-file.ts';

const OPTIONS = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];

const directory = mkdtempSync(join(tmpdir(), 'toolexec-sbom-'));
try {
  const { manifest, lock } = productionManifests();
  // npm names the project after its folder.
  const project = join(directory, 'toolexec');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
  const sbom = execFileSync('npm', ['sbom', ...OPTIONS], { cwd: project, maxBuffer: Number.POSITIVE_INFINITY });
  mkdirSync(`${PROJECT}dist`, { recursive: true });
  writeFileSync(`${PROJECT}dist/sbom.json`, sbom);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
