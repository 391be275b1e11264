package import Cluster
package import Store

/// The other servers, to the extent that the delivery of lanes needs them.
package struct LaneCluster: Sendable {
  package var network: any ClusterNetwork
  /// Reports to a server that lanes that it delivers have new entries; a report may be lost.
  package var hint: @Sendable (OutboxLanes, ServerID) -> Void

  package init(
    network: any ClusterNetwork, hint: @escaping @Sendable (OutboxLanes, ServerID) -> Void
  ) {
    self.network = network
    self.hint = hint
  }

  /// Divides lanes that have new entries by the servers that deliver them, and reports them to the others.
  ///
  /// - Returns: The lanes that this server delivers by the ring.
  package func announce(_ lanes: OutboxLanes) -> OutboxLanes {
    let (ring, local) = (network.ring, network.local.id)
    var hints: [ServerID: OutboxLanes] = [:]
    for lane in lanes.sorted { hints[ring.home(of: lane).id, default: []].insert(lane) }
    for (server, lanes) in hints where server != local { hint(lanes, server) }
    return hints[local] ?? []
  }
}
