import Curl
import DequeModule

/// Selects the next request: round-robin over requesters, and for each of them over sites.
///
/// A user who posts many slow links only delays their own, and a slow site only delays itself.
/// Operations take constant time on average except ``removeWaiting(where:)``, and ``finish(_:)``
/// for a site without free places, which checks each requester waiting for it.
struct FetchTurns<Request: TurnRequest>: CurlQueueTurns {
  /// The requests of one requester for one site.
  private struct Lane {
    /// Request ids in the order of arrival; some no longer wait.
    var arrivals = Deque<UInt64>()
    var waitingCount = 0
    /// Whether the lane is in its requester's turns.
    var isListed = false
    /// Whether the lane waits for a place of its site.
    var isParked = false

    var isIdle: Bool { waitingCount == 0 && !isListed && !isParked }
  }

  private struct Party {
    var active = 0
    var waitingCount = 0
    var lanes: [String: Lane] = [:]
    /// Sites in round-robin order.
    var turns = Deque<String>()
    var isListed = false

    var isIdle: Bool { active == 0 && lanes.isEmpty && !isListed }
  }

  private struct Site {
    var active = 0
    /// Requesters that found no free place.
    var parked: [PreviewRequester] = []
  }

  private let limits: TurnLimits
  private var waiting: [UInt64: Request] = [:]
  private var parties: [PreviewRequester: Party] = [:]
  private var sites: [String: Site] = [:]
  /// Requesters that may start a request, in round-robin order.
  private var turns = Deque<PreviewRequester>()
  private(set) var activeCount = 0
  var waitingCount: Int { waiting.count }

  init(_ limits: TurnLimits) { self.limits = limits }

  /// Returns whether another request may wait.
  func admits(_ request: Request) -> Bool { admits(request.requester) }

  /// Returns whether another request of this requester may wait.
  func admits(_ requester: PreviewRequester) -> Bool {
    waitingCount < limits.waiting
      && parties[requester]?.waitingCount ?? 0 < limits.waiting(of: requester)
  }

  mutating func append(_ request: Request) {
    waiting[request.id] = request
    parties[request.requester, default: Party()].waitingCount += 1
    parties[request.requester]?.lanes[request.siteKey, default: Lane()].arrivals.append(request.id)
    parties[request.requester]?.lanes[request.siteKey]?.waitingCount += 1
    list(request.siteKey, of: request.requester)
  }

  /// Returns the next request to start; it counts as active until ``finish(_:)``.
  mutating func start() -> Request? {
    while activeCount < limits.active, let requester = turns.popFirst() {
      parties[requester]?.isListed = false
      guard let request = takeNext(of: requester) else {
        forgetIfIdle(requester)
        continue
      }
      activeCount += 1
      sites[request.siteKey, default: Site()].active += 1
      parties[requester]?.active += 1
      list(request.siteKey, of: requester)
      list(requester)
      return request
    }
    return nil
  }

  /// Records the end of a started request.
  mutating func finish(_ request: Request) {
    guard let active = parties[request.requester]?.active, active > 0,
      let site = sites[request.siteKey], site.active > 0
    else { return }
    activeCount -= 1
    parties[request.requester]?.active = active - 1
    sites[request.siteKey] = site.active > 1 ? Site(active: site.active - 1) : nil
    for requester in site.parked {
      parties[requester]?.lanes[request.siteKey]?.isParked = false
      list(request.siteKey, of: requester)
      forgetIfIdle(request.siteKey, of: requester)
    }
    list(request.requester)
    forgetIfIdle(request.requester)
  }

  /// Removes the waiting request with an id.
  mutating func removeWaiting(_ id: UInt64) -> Request? {
    guard let request = waiting.removeValue(forKey: id) else { return nil }
    noteDeparture(of: request)
    sweep(request.siteKey, of: request.requester)
    forgetIfIdle(request.siteKey, of: request.requester)
    return request
  }

  /// Removes all waiting requests that satisfy `isEnded`, in the order of their ids.
  mutating func removeWaiting(where isEnded: (Request) -> Bool) -> [Request] {
    let ended = waiting.values.filter(isEnded).map(\.id).sorted()
    return ended.compactMap { removeWaiting($0) }
  }
}

extension FetchTurns {
  private mutating func takeNext(of requester: PreviewRequester) -> Request? {
    while let site = parties[requester]?.turns.popFirst() {
      parties[requester]?.lanes[site]?.isListed = false
      if isFull(site) {
        list(site, of: requester)
      } else if let request = popFirst(of: site, of: requester) {
        return request
      }
      forgetIfIdle(site, of: requester)
    }
    return nil
  }

  private mutating func popFirst(of site: String, of requester: PreviewRequester) -> Request? {
    while let id = parties[requester]?.lanes[site]?.arrivals.popFirst() {
      guard let request = waiting.removeValue(forKey: id) else { continue }
      noteDeparture(of: request)
      return request
    }
    return nil
  }

  private mutating func noteDeparture(of request: Request) {
    parties[request.requester]?.waitingCount -= 1
    parties[request.requester]?.lanes[request.siteKey]?.waitingCount -= 1
  }

  /// Removes ids of requests that no longer wait once they are the majority.
  private mutating func sweep(_ site: String, of requester: PreviewRequester) {
    guard let lane = parties[requester]?.lanes[site],
      lane.arrivals.count > 2 * lane.waitingCount + 64
    else { return }
    parties[requester]?.lanes[site]?.arrivals.removeAll { [waiting] in waiting[$0] == nil }
  }

  private func isFull(_ site: String) -> Bool {
    sites[site]?.active ?? 0 >= limits.activePerSite
  }

  /// Puts a lane into its requester's turns, or into the lanes that wait for their site.
  private mutating func list(_ site: String, of requester: PreviewRequester) {
    guard let lane = parties[requester]?.lanes[site], lane.waitingCount > 0, !lane.isListed,
      !lane.isParked
    else { return }
    if isFull(site) {
      parties[requester]?.lanes[site]?.isParked = true
      sites[site]?.parked.append(requester)
    } else {
      parties[requester]?.lanes[site]?.isListed = true
      parties[requester]?.turns.append(site)
      list(requester)
    }
  }

  private mutating func list(_ requester: PreviewRequester) {
    guard let party = parties[requester], !party.isListed, !party.turns.isEmpty,
      party.active < limits.active(of: requester)
    else { return }
    parties[requester]?.isListed = true
    turns.append(requester)
  }

  private mutating func forgetIfIdle(_ site: String, of requester: PreviewRequester) {
    if parties[requester]?.lanes[site]?.isIdle == true { parties[requester]?.lanes[site] = nil }
    forgetIfIdle(requester)
  }

  private mutating func forgetIfIdle(_ requester: PreviewRequester) {
    if parties[requester]?.isIdle == true { parties[requester] = nil }
  }
}

/// A waiting request of a user or an operator.
protocol TurnRequest: CurlQueueRequest {
  var requester: PreviewRequester { get }
  /// The site of the request, as in ``WebURL/siteKey``.
  var siteKey: String { get }
}

/// The limits of a queue.
struct TurnLimits {
  /// The maximum number of active requests.
  var active: Int
  /// The maximum number of active requests to one site.
  var activePerSite: Int
  /// The maximum number of active requests for one user.
  var activePerUser: Int
  /// The maximum number of waiting requests.
  var waiting: Int

  /// The maximum number of waiting requests of one user: a tenth of all.
  var waitingPerUser: Int { max(1, waiting / 10) }

  init(active: Int, activePerSite: Int, activePerUser: Int, waiting: Int) {
    self.active = max(1, active)
    self.activePerSite = max(1, activePerSite)
    self.activePerUser = max(1, activePerUser)
    self.waiting = max(0, waiting)
  }

  func active(of requester: PreviewRequester) -> Int {
    switch requester {
    case .user, .visitor: activePerUser
    case .operation: active
    }
  }

  func waiting(of requester: PreviewRequester) -> Int {
    switch requester {
    case .user, .visitor: waitingPerUser
    case .operation: waiting
    }
  }
}
