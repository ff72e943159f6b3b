
By1JF~‚†y¯xS†Fg{«“{Šzu\uŒz€qª‹x¸o—ƒTku\j’Th„t„‰¢‰jIs…’~m}v¥†z<~šj‡ˆpX