import path from 'node:path';

import { freePort } from '../../e2e/stack/free-port';
import { until } from '../../e2e/stack/until';
import { type Run } from '../fault';
import { Etcd } from './etcd';
import { DATABASE, OWNER, PatroniClusterMember } from './patroni-cluster-member';

const NAMES = ['one', 'two', 'three'];

/** A member as Patroni's REST interface shows it. */
interface Shown {
  name: string;
  role: string;
  state: string;
  timeline?: number;
}

/** Three members under Patroni with one etcd: a leader, its synchronous standby, and a third. */
export class PatroniCluster {
  private constructor(
    private readonly members: readonly PatroniClusterMember[],
    /** As of the last look. */
    public leader: PatroniClusterMember,
  ) {}

  static async start({ folder, atEnd }: Pick<Run, 'folder' | 'atEnd'>): Promise<PatroniCluster> {
    const etcd = await Etcd.start(path.join(folder, 'etcd'));
    atEnd(() => etcd.stop());
    const members: PatroniClusterMember[] = [];
    for (const name of NAMES) {
      const ports = { postgres: await freePort(), rest: await freePort() };
      members.push(new PatroniClusterMember(name, path.join(folder, name), ports, etcd.address));
    }
    for (const member of members) {
      atEnd(() => member.kill());
      member.start();
    }
    const [first] = members;
    if (first === undefined) throw new Error('A cluster needs members');
    const cluster = new PatroniCluster(members, first);
    await cluster.whole();
    return cluster;
  }

  /** For the service: all hosts, always in this order. */
  get url(): string {
    const hosts = this.members.map(({ address }) => address).join(',');
    return `postgres://${OWNER}@${hosts}/${DATABASE}`;
  }

  /** Resolves when another than this member leads, and takes writes. */
  async ledByAnother(than: PatroniClusterMember): Promise<void> {
    await until(
      async () => {
        const shown = (await this.shown(than)).find(({ role }) => role === 'leader');
        const leader = this.members.find(({ name }) => name === shown?.name);
        if (leader === undefined || leader === than || shown?.state !== 'running') return false;
        // 200 from the leader that holds the key and is not in recovery, else 503.
        if (!(await fetch(`${leader.restUrl}/primary`)).ok) return false;
        this.leader = leader;
        return true;
      },
      { what: `another leader than ${than.name}`, timeoutMs: 180_000, everyMs: 200 },
    );
  }

  /** Resolves when there is a leader, a synchronous standby and a third that follows: the next leader may be killed. */
  async whole(): Promise<void> {
    await until(
      async () => {
        const shown = await this.shown();
        const leader = shown.find(({ role, state }) => role === 'leader' && state === 'running');
        const follow = shown.filter(({ role, state }) => role !== 'leader' && FOLLOWS.includes(state));
        if (leader === undefined || follow.length !== NAMES.length - 1) return false;
        if (!follow.some(({ role }) => role === 'sync_standby')) return false;
        if (follow.some(({ timeline }) => timeline !== leader.timeline)) return false;
        this.leader = this.members.find(({ name }) => name === leader.name) ?? this.leader;
        return true;
      },
      { what: 'all members of the cluster to be there', timeoutMs: 300_000, everyMs: 300 },
    );
  }

  /** All members, as any of them (but one that is known to be gone) shows them. */
  private async shown(gone?: PatroniClusterMember): Promise<Shown[]> {
    for (const { restUrl } of this.members.filter((member) => member !== gone)) {
      const answer = await fetch(`${restUrl}/cluster`, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
      if (answer?.ok === true) return ((await answer.json()) as { members: Shown[] }).members;
    }
    throw new Error('No member of the cluster answers');
  }
}

/** `streaming` in newer versions. */
const FOLLOWS = ['running', 'streaming'];
