/** The nodes of a cluster, as far as one has to reach another. */
export interface Nodes {
  /** Name of this node, which its leases carry. Another one after each start. */
  readonly name: string;
  /**
   * Tells the others at which URL this node answers them, for as long as it lives.
   * @param url such as `http://10.0.0.7:8080`, without a path
   * @throws Problem `store-unavailable`
   */
  announce(url: string): Promise<void>;
  /**
   * Where a node answers; `null` for one that has gone, or has not said.
   * @throws Problem `store-unavailable`
   */
  urlOf(node: string): Promise<string | null>;
  /**
   * By what nodes know one another: the same on all of them, and told to nobody else. At least 32 random bytes as base64url.
   * @throws Problem `store-unavailable`
   */
  secret(): Promise<string>;
}
