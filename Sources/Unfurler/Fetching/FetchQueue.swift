/// The pages that wait to be fetched.
typealias FetchQueue = HostTurns<Fetch>

extension Fetch: HostRequest {}
