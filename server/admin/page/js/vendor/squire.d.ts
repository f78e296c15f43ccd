declare const Squire: any; export default Squire
