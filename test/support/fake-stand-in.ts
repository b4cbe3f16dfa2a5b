import type { Click, ClickShown, Post, StandIn, Written } from '#hosts/local/standins/stand-in.ts';

export interface FakeStandIn extends StandIn {
  readonly written: Written[];
  readonly clicks: Click[];
  /** What the next clicks show. */
  answer: (click: Click) => Promise<ClickShown> | ClickShown;
  readonly listeners: ReadonlySet<(chat: string) => void>;
  /** The bot, or somebody else, says something. */
  post(post: Pick<Post, 'chat' | 'content'> & Partial<Post>): Post;
  change(id: string, change: Partial<Post>): void;
}

const MEI = { id: 'ou_mei', name: '陈美' };
const LEI = { id: 'ou_lei', name: '李雷' };
const ANN = { id: 'ou_ann', name: 'Ann Smith' };

/** A platform with three people, two single chats and a group, whose posts are whatever a test says. */
export const createFakeStandIn = (name = 'feishu'): FakeStandIn => {
  const posts: Post[] = [];
  const listeners = new Set<(chat: string) => void>();
  const tell = (chat: string) => {
    for (const listener of listeners) listener(chat);
  };
  const fake: FakeStandIn = {
    name,
    endpoint: 'http://127.0.0.1:1',
    environment: {},
    people: [MEI, LEI, ANN],
    chats: [
      { id: 'oc_mei', name: MEI.name, kind: 'single', members: [MEI.id] },
      { id: 'oc/lei==', name: LEI.name, kind: 'single', members: [LEI.id] },
      { id: 'oc_team', name: '订单小组', kind: 'group', members: [MEI.id, LEI.id, ANN.id] },
    ],
    written: [],
    clicks: [],
    answer: () => ({}),
    listeners,
    posts: (chat) => posts.filter((post) => post.chat === chat),
    post: (given) => {
      const id = `om_${name}_${posts.length}`;
      const post: Post = { id, from: 'bot', at: Date.now(), reactions: [], ...given };
      posts.push(post);
      tell(post.chat);
      return post;
    },
    change: (id, change) => {
      const index = posts.findIndex((post) => post.id === id);
      const post = posts[index];
      if (!post) throw new Error(`no post ${id}`);
      posts[index] = { ...post, ...change };
      tell(post.chat);
    },
    write: async (message) => {
      fake.written.push(message);
      const { chat, from, text, replyTo } = message;
      return fake.post({
        chat,
        from,
        content: { kind: 'text', text },
        ...(replyTo !== undefined && { replyTo }),
      });
    },
    click: async (click) => {
      fake.clicks.push(click);
      return fake.answer(click);
    },
    setCallbackUrl: () => {},
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: async () => {},
  };
  return fake;
};
