import LinkPreview

/// A selection whose domain has been worked out.
enum PreviewScope: Sendable {
  case everything
  case link(Link)
  case hosts(HostKey)
  case nothing

  init(_ selection: PreviewSelection) {
    switch selection {
    case .all: self = .everything
    case .link(let link): self = .link(link)
    case .domain(let name): self = HostKey(domain: name).map { .hosts($0) } ?? .nothing
    }
  }

  func covers(_ link: Link) -> Bool {
    switch self {
    case .everything: true
    case .link(let selected): selected == link
    case .hosts(let key): key.covers(HostKey(link))
    case .nothing: false
    }
  }
}
