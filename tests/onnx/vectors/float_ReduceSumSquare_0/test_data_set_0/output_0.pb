By1J(%t
Bñº.B‡è÷AU‚»AF¿A	«?BJœFBlÎB¶<1BzEB